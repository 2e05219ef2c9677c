namespace CoAP.NET.Simulation.Holders;

/// <summary>What a run of a row showed.</summary>
/// <param name="Row">The row.</param>
/// <param name="Sources">How many addresses attacked.</param>
/// <param name="Sent">Bytes that they sent in all.</param>
/// <param name="Times">What honest clients saw.</param>
/// <param name="Heap">The most bytes of live heap above idle; 0 where it was not measured.</param>
/// <param name="Resident">The most bytes of RSS above idle; 0 where it was not measured.</param>
/// <param name="Held">The most that the bound counted.</param>
/// <param name="Proof">The counter of the row.</param>
/// <param name="Failures">What did not hold.</param>
internal sealed record HolderResult(
    HolderRow Row, int Sources, long Sent, HonestTimes Times, long Heap, long Resident, long Held, long Proof,
    IReadOnlyList<string> Failures);
