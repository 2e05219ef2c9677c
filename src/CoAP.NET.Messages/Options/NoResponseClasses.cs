namespace CoAP.NET;

/// <summary>The classes of responses that a client does not want: the bits of <see cref="NoResponseOption"/> (RFC 7967 section
/// 2.1).</summary>
/// <remarks>Other bits have no meaning.</remarks>
[Flags]
public enum NoResponseClasses : byte
{
    /// <summary>The client wants all responses.</summary>
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
