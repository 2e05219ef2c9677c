namespace CoAP.NET.Diagnostics;

/// <summary>The usage of a limit of an endpoint, in a <see cref="CoapDiagnosticSnapshot"/>.</summary>
internal sealed class CoapLimitSnapshot
{
    internal CoapLimitSnapshot(string name, long used, long limit, bool isBytes)
    {
        Name = name;
        Used = used;
        Limit = limit;
        IsBytes = isBytes;
    }

    /// <summary>The limit: its property of <see cref="CoapLimits"/>.</summary>
    public string Name { get; }

    /// <summary>The current usage: bytes if <see cref="IsBytes"/> is true, otherwise a count.</summary>
    public long Used { get; }

    /// <summary>The maximum, in the same unit.</summary>
    public long Limit { get; }

    /// <summary>Whether it limits memory in bytes.</summary>
    public bool IsBytes { get; }
}
