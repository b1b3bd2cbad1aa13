# The package's own template: what its functions are, and the template with their code in the bucket.

locals {
  template = yamldecode(file("${var.package}/template.yaml"))
  folders = {
    for id, resource in local.template.Resources : id => resource.Properties.CodeUri
    if resource.Type == "AWS::Serverless::Function"
  }
  deployed = merge(local.template, {
    Resources = merge(local.template.Resources, {
      for id, folder in local.folders : id => merge(local.template.Resources[id], {
        Properties = merge(local.template.Resources[id].Properties, {
          CodeUri = { Bucket = var.bucket, Key = local.keys[id] }
        })
      })
    })
  })
}
