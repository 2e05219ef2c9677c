using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Cluster.Hosting;

/// <summary>Validates the options when the application starts.</summary>
internal sealed class ClusterOptionsValidator(ClusterSection section) : IValidateOptions<CoapClusterOptions>
{
    public ValidateOptionsResult Validate(string? name, CoapClusterOptions options)
    {
        // Errors of the section cause the other missing settings.
        if (section.Problems.Count > 0)
        {
            return ValidateOptionsResult.Fail(ConfigurationTextFormatter.OfAll(section.Problems));
        }

        return options.FindFault() is { } fault ? ValidateOptionsResult.Fail(ConfigurationTextFormatter.OfAll([fault]))
            : ValidateOptionsResult.Success;
    }
}
