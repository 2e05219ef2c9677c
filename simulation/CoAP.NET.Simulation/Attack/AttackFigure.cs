namespace CoAP.NET.Simulation.Attack;

/// <summary>Something that was measured.</summary>
/// <param name="What">What, with its value.</param>
/// <param name="Bound">What it may be.</param>
/// <param name="Holds">Whether it is.</param>
internal sealed record AttackFigure(string What, string Bound, bool Holds);
