namespace CoAP.NET;

/// <summary>By what AES-CCM is computed.</summary>
internal enum AesCcmMeans
{
    /// <summary>By nothing: it is not supported.</summary>
    None,

    /// <summary>By the instructions of the processor.</summary>
    Processor,

    /// <summary>By the platform's AES-CCM.</summary>
    Platform,

    /// <summary>By the platform's cipher of single blocks.</summary>
    Blocks,
}
