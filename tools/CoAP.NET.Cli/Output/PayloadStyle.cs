namespace CoAP.NET.Cli.Output;

internal enum PayloadStyle
{
    /// <summary>The raw bytes.</summary>
    Raw,

    /// <summary>Readable, according to the Content-Format.</summary>
    Pretty,

    /// <summary>As a part of a JSON object.</summary>
    Json,
}
