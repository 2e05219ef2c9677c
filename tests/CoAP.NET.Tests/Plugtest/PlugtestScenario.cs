namespace CoAP.NET.Tests.Plugtest;

/// <summary>What a client asks, one request after the other, or several at once; later requests may depend on earlier responses.</summary>
/// <param name="Name">Its name among the plugtests.</param>
/// <param name="Steps">What is asked at once, given all responses so far.</param>
public sealed record PlugtestScenario(string Name, params Func<IReadOnlyList<CoapResponse>, CoapRequest[]>[] Steps)
{
    /// <summary>Whether a request may run again for a copy of it: its response is too large to be kept, and it changes nothing (RFC 7252 section 4.5).</summary>
    public bool MayRunAgain { get; init; }

    /// <summary>For the names of tests.</summary>
    public override string ToString() => Name;
}
