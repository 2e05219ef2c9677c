namespace CoAP.NET.Cryptography;

/// <summary>What computes AES-CCM on this machine.</summary>
internal enum AesCcmImplementation
{
    /// <summary>By nothing: it is not supported.</summary>
    None,

    Processor,

    Platform,

    /// <summary>By the platform's cipher of single blocks.</summary>
    Blocks,
}
