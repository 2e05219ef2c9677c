namespace CoAP.NET.Cluster;

/// <summary>What the section of a cluster sets: the options, and what only configuration has.</summary>
internal sealed class ClusterSettings(CoapClusterOptions options)
{
    public CoapClusterOptions Options => options;

    /// <summary>The secret as text; null where it is not there.</summary>
    public string? Secret { get; set; }

    /// <summary>The file that holds it; null for none.</summary>
    public string? SecretFile { get; set; }

    /// <summary>Whether keys that nobody knows are let pass.</summary>
    public bool AllowUnknownKeys { get; set; }
}
