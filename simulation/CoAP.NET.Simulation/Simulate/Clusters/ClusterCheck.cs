namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>What holds in every run with clusters.</summary>
internal enum ClusterCheck
{
    /// <summary>Time goes on, and the run comes to its end.</summary>
    Progress,

    /// <summary>No record number is used twice under one key.</summary>
    RecordNumbers,

    /// <summary>Each request ends within its time.</summary>
    Ends,

    /// <summary>It ends with an answer or with an error of the library.</summary>
    TypedError,

    /// <summary>The answer is that to this request.</summary>
    RightAnswer,

    /// <summary>
    /// A POST is carried out once, unless the node that did it, or one to which its session moved then, died, slept or lost its slots
    /// before its answer arrived.
    /// </summary>
    RunsOnce,

    /// <summary>A POST that is answered was run.</summary>
    Lost,

    /// <summary>Answers are those of counters on which each request takes effect between its sending and its answer.</summary>
    History,

    /// <summary>No number of an OSCORE context is used twice.</summary>
    OscoreNumbers,

    /// <summary>A device whose key all nodes have withdrawn gets no answer and no notification under it.</summary>
    WithdrawnKey,

    /// <summary>A recorded request that is sent again does not run.</summary>
    Replay,

    /// <summary>
    /// A device with a Connection ID makes no handshake but for a session that was never kept, or when nothing that it sent while all went
    /// well could be answered.
    /// </summary>
    NoHandshake,

    /// <summary>States that an observer is told never go back.</summary>
    Order,

    /// <summary>When all is well again every observer is told the last state.</summary>
    LastState,

    /// <summary>No two nodes have the same slot under the same fence.</summary>
    OneOwner,

    /// <summary>No write changes anything that was made under an older fence than the newest of its slot.</summary>
    Fences,

    /// <summary>When all is well again each slot has one owner, who is there.</summary>
    Slots,

    /// <summary>When all is well again each device is answered.</summary>
    Served,

    /// <summary>When all is well again each device can be asked from each node.</summary>
    Asked,

    /// <summary>What an outbox has confirmed comes to the device.</summary>
    OutboxLost,

    /// <summary>What waits in an outbox comes to the device in its order.</summary>
    OutboxOrder,

    /// <summary>When nobody wants anything any more nothing is kept.</summary>
    Quiet,
}

/// <summary>Something that must never be, and was.</summary>
/// <param name="Check">Which rule.</param>
/// <param name="What">What was seen.</param>
/// <param name="Time">When.</param>
internal sealed record ClusterViolation(ClusterCheck Check, string What, TimeSpan Time)
{
    public override string ToString() => $"{Check} at {Time.TotalSeconds:F3} s: {What}";
}
