variable "name" {
  description = "The name of the stack. The examples beside this module take \"gatehouse-live\"."
  type        = string
  default     = "gatehouse-live"
}

variable "package" {
  description = "The folder of the package gatehouse-authz, as npm installs it."
  type        = string
  default     = "node_modules/gatehouse-authz"
}

variable "bucket" {
  description = "A private bucket of yours, in the same region, for the code of the functions."
  type        = string
}

variable "token_issuer" {
  description = "Whose tokens are accepted: the iss of their JWTs, an https URL."
  type        = string
}

variable "token_audience" {
  description = "For which audience: the aud of their JWTs."
  type        = string
}

variable "parameters" {
  description = "All other parameters of the stack by their names (docs/deployment.md)."
  type        = map(string)
  default     = {}
}

variable "apis" {
  description = "APIs of other accounts that may invoke the authorizer: any name to region, account and id."
  type        = map(object({ region = string, account = string, id = string }))
  default     = {}
}
