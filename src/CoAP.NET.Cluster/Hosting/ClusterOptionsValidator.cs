using Microsoft.Extensions.Options;

namespace CoAP.NET.Cluster;

/// <summary>Checks the options when the application starts.</summary>
internal sealed class ClusterOptionsValidator : IValidateOptions<CoapClusterOptions>
{
    public ValidateOptionsResult Validate(string? name, CoapClusterOptions options) =>
        options.FindFault() is { } fault ? ValidateOptionsResult.Fail(fault) : ValidateOptionsResult.Success;
}
