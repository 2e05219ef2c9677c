namespace CoAP.NET.Tests.Plugtest;

/// <summary>Somebody who observes and remembers everything that came.</summary>
public sealed class PlugtestObserver
{
    private readonly List<CoapResponse> _taken = [];

    public CoapObservation? Observation { get; set; }

    /// <summary>What came so far, oldest first.</summary>
    public IReadOnlyList<CoapResponse> Taken
    {
        get
        {
            lock (_taken)
            {
                return [.. _taken];
            }
        }
    }

    /// <summary>The text of what came last; empty when nothing came.</summary>
    public string Text => Observation?.Latest?.GetText() ?? string.Empty;

    public CoapCode? Code => Observation?.Latest?.Code;

    public void Take(CoapResponse response)
    {
        lock (_taken)
        {
            _taken.Add(response);
        }
    }
}
