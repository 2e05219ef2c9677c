namespace CoAP.NET.Messaging;

/// <summary>The effect of executing a duplicate (RFC 7252 sections 4.5 and 5.1), in the order of eviction.</summary>
internal enum MethodSafety : byte
{
    /// <summary>None: a safe method, a response, or a message that only gets an error.</summary>
    Safe,

    /// <summary>The same effect again.</summary>
    Idempotent,

    /// <summary>A further effect, which must not happen.</summary>
    Unsafe,
}
