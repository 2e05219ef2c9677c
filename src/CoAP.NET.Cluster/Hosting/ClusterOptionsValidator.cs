using Microsoft.Extensions.Options;

namespace CoAP.NET.Cluster;

/// <summary>Checks the options when the application starts.</summary>
internal sealed class ClusterOptionsValidator(ClusterSection section) : IValidateOptions<CoapClusterOptions>
{
    public ValidateOptionsResult Validate(string? name, CoapClusterOptions options)
    {
        // What is wrong with the section is the cause of what else is missing.
        if (section.Problems.Count > 0)
        {
            return ValidateOptionsResult.Fail(section.Problems);
        }

        return options.FindFault() is { } fault ? ValidateOptionsResult.Fail(fault) : ValidateOptionsResult.Success;
    }
}
