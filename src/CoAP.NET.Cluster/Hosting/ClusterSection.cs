using CoAP.NET.Hosting;
using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Cluster;

internal sealed class ClusterSection
{
    /// <summary>The default path of the section.</summary>
    public const string DefaultPath = "Coap:Cluster";

    /// <summary>The explicitly chosen section; null for none.</summary>
    public IConfiguration? Named { get; set; }

    /// <summary>The errors of the last read, which prevent the start.</summary>
    public IReadOnlyList<string> Problems { get; private set; } = [];

    /// <summary>The warnings of the last read, which do not prevent the start.</summary>
    public IReadOnlyList<string> Warnings { get; private set; } = [];

    private string Path => Named is IConfigurationSection { Path: var path } ? path : DefaultPath;

    /// <summary>Reads the section.</summary>
    /// <param name="configuration">The configuration of the application; null for none.</param>
    /// <param name="options">Receives the settings.</param>
    public void Read(IConfiguration? configuration, CoapClusterOptions options)
    {
        if ((Named ?? configuration?.GetSection(DefaultPath)) is not { } section)
        {
            return;
        }

        ConfigurationFindings findings = new();
        ClusterSettings settings = new(options);
        ClusterKeys.Table.Read(section, settings, findings);
        List<string> warnings = [];
        ReadSecret(settings, findings, warnings);
        if (settings.AllowUnknownKeys)
        {
            warnings.AddRange(findings.UnknownKeys);
        }

        Problems = findings.ListProblems(Path, settings.AllowUnknownKeys);
        Warnings = warnings;
    }

    private void ReadSecret(ClusterSettings settings, ConfigurationFindings findings, List<string> warnings)
    {
        if (settings is { Secret: not null, SecretFile: not null })
        {
            findings.Errors.Add($"{Path}:Secret and {Path}:SecretFile are both set. Remove one of them.");
        }
        else if (settings.Secret is { } text)
        {
            settings.Options.Secrets = ClusterSecretText.SecretsOf(text)!;
        }
        else if (settings.SecretFile is { } file)
        {
            string key = $"{Path}:SecretFile = '{ShownText.Of(file)}'";
            if (ClusterSecretText.Read(file, out string problem) is { } secrets)
            {
                settings.Options.Secrets = secrets;
            }
            else
            {
                findings.Errors.Add($"{key}: {problem}");
            }

            if (KeyFileMode.ProblemOf(file) is { } open)
            {
                warnings.Add($"{key}: {open}");
            }
        }
    }
}
