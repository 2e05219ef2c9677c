namespace CoAP.NET.Simulation.Attack;

/// <summary>A row of the attack table.</summary>
/// <param name="Name">Its word on the command line.</param>
/// <param name="Attack">The attack.</param>
/// <param name="Rows">The rows of the checklist that it is about.</param>
/// <param name="RunAsync">Does it, measures, and holds what was measured against its bounds.</param>
internal sealed record AttackRow(string Name, string Attack, string Rows, Func<AttackRun, Task> RunAsync)
{
    /// <summary>Defects that can be planted, each of which must be found.</summary>
    public IReadOnlyList<string> Plants { get; init; } = [];
}
