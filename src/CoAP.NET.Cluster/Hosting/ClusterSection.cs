using CoAP.NET.Diagnostics;
using CoAP.NET.Files;
using CoAP.NET.Hosting.Configuration;
using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Cluster.Hosting;

/// <summary>The configuration section of the cluster, chosen or by default.</summary>
internal sealed class ClusterSection
{
    /// <summary>The default path of the section.</summary>
    public const string DefaultPath = "Coap:Cluster";

    /// <summary>The explicitly chosen section; null for none.</summary>
    public IConfiguration? Named { get; set; }

    /// <summary>The errors of the last read, which prevent the start.</summary>
    public IReadOnlyList<string> Problems { get; private set; } = [];

    /// <summary>The findings of the last read.</summary>
    public ConfigurationErrors Findings { get; private set; } = new();

    /// <summary>The secret file of the last read, if other users can read or change it, which does not prevent the start.</summary>
    public IReadOnlyList<UnsafeKeyFile> UnsafeKeyFiles { get; private set; } = [];

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

        ConfigurationErrors findings = new();
        ClusterSettings settings = new(options);
        ClusterConfigurationKeys.Table.Read(section, settings, findings);
        ReadSecret(settings, findings);
        Findings = findings;
        Problems = findings.ListProblems(Path, settings.AllowUnknownKeys);
    }

    private void ReadSecret(ClusterSettings settings, ConfigurationErrors findings)
    {
        UnsafeKeyFiles = [];
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
            if (ClusterSecretText.Read(file, out string problem) is { } secrets)
            {
                settings.Options.Secrets = secrets;
            }
            else
            {
                findings.Errors.Add(File.Exists(file)
                    ? $"{Path}:SecretFile = '{ConfigurationTextFormatter.OfFile(file)}': {problem}"
                    : ConfigurationTextFormatter.NoFile($"{Path}:SecretFile", file));
            }

            if (KeyFileMode.ProblemOf(file) is { } open)
            {
                UnsafeKeyFiles = [new UnsafeKeyFile($"{Path}:SecretFile", file, open)];
            }
        }
    }
}
