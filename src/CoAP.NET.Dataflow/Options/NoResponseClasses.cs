namespace CoAP.NET.Options;

/// <summary>
/// The classes of responses that a client has no interest in: the bits of <see cref="NoResponse"/> (RFC 7967 section 2.1). Other bits mean
/// nothing.
/// </summary>
[Flags]
public enum NoResponseClasses : byte
{
    /// <summary>All responses are wanted.</summary>
    None = 0,

    /// <summary>No responses of class 2.</summary>
    Success = 2,

    /// <summary>No responses of class 4.</summary>
    ClientError = 8,

    /// <summary>No responses of class 5.</summary>
    ServerError = 16,

    /// <summary>No responses at all.</summary>
    All = Success | ClientError | ServerError,
}
