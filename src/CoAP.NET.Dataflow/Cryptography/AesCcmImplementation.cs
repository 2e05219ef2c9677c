namespace CoAP.NET.Cryptography;

internal enum AesCcmImplementation
{
    /// <summary>By nothing: it is not supported.</summary>
    None,

    Processor,

    Platform,

    /// <summary>By the platform's cipher of single blocks.</summary>
    Blocks,
}
