namespace CoAP.NET.Cli.Output;

/// <summary>The format of payloads.</summary>
internal enum PayloadStyle
{
    /// <summary>The raw bytes.</summary>
    Raw,

    /// <summary>Readable, according to the Content-Format.</summary>
    Pretty,

    /// <summary>As a part of a JSON object.</summary>
    Json,
}
