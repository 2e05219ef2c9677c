using CoAP.NET.Hosting;
using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Cluster;

/// <summary>The section of configuration that says how an application takes part in a cluster, and what is wrong with it.</summary>
internal sealed class ClusterSection
{
    /// <summary>Where it is when no other one was named.</summary>
    public const string DefaultPath = "Coap:Cluster";

    /// <summary>The one that was named; null for none.</summary>
    public IConfiguration? Named { get; set; }

    /// <summary>What keeps the application from starting, of the last time that it was read.</summary>
    public IReadOnlyList<string> Problems { get; private set; } = [];

    /// <summary>What is told at the start and keeps nobody from it, of the last time that it was read.</summary>
    public IReadOnlyList<string> Warnings { get; private set; } = [];

    private string Path => Named is IConfigurationSection { Path: var path } ? path : DefaultPath;

    /// <summary>Reads it.</summary>
    /// <param name="configuration">The configuration of the application; null for none.</param>
    /// <param name="options">What it sets.</param>
    public void Read(IConfiguration? configuration, CoapClusterOptions options)
    {
        if ((Named ?? configuration?.GetSection(DefaultPath)) is not { } section)
        {
            return;
        }

        ConfigurationFindings findings = new();
        ClusterSettings settings = new(options);
        SectionReader.Read(section, ClusterKeys.Table, settings, findings);
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
            findings.Errors.Add($"{Path}:Secret and {Path}:SecretFile are both set. Leave one of them out.");
        }
        else if (settings.Secret is { } text)
        {
            settings.Options.Secret = ClusterSecretText.BytesOf(text);
        }
        else if (settings.SecretFile is { } file)
        {
            string key = $"{Path}:SecretFile = '{file}'";
            if (ClusterSecretText.Read(file, out string problem) is { } secret)
            {
                settings.Options.Secret = secret;
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
