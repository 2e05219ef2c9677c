namespace CoAP.NET.Cluster.Hosting;

/// <summary>The settings of a cluster's section: the options, and keys that only configuration has.</summary>
internal sealed class ClusterSettings(CoapClusterOptions options)
{
    public CoapClusterOptions Options => options;

    /// <summary>The secret as text, possibly with the previous one; null if absent.</summary>
    public string? Secret { get; set; }

    /// <summary>The file with the secret, possibly with the previous one; null for none.</summary>
    public string? SecretFile { get; set; }

    /// <summary>Whether unknown keys are accepted.</summary>
    public bool AllowUnknownKeys { get; set; }
}
