namespace CoAP.NET.Cli.Output;

/// <summary>How payloads are shown.</summary>
internal enum PayloadStyle
{
    /// <summary>The bytes as they came.</summary>
    Raw,

    /// <summary>For people, by Content-Format.</summary>
    Pretty,

    /// <summary>As a part of a JSON object.</summary>
    Json,
}
