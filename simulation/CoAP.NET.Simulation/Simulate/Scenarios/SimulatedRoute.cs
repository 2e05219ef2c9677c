namespace CoAP.NET.Simulation.Simulate;

/// <summary>The resources of a node that serves.</summary>
internal enum SimulatedRoute
{
    /// <summary>Answers on the thread that receives.</summary>
    Plain,

    /// <summary>One request at a time, two wait.</summary>
    Queued,

    /// <summary>One request at a time, on the receiving thread if it can be.</summary>
    Serial,

    /// <summary>Only requests that an Echo shows to be fresh.</summary>
    Fresh,

    /// <summary>Answers 4.29 to every second request.</summary>
    Limited,

    /// <summary>Asks another node.</summary>
    Forward,

    /// <summary>Observable, of a few bytes.</summary>
    State,

    /// <summary>Observable, of several blocks.</summary>
    LargeState,
}
