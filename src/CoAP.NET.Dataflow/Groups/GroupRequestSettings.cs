namespace CoAP.NET.Groups;

/// <summary>The conditions of a group request besides its message.</summary>
/// <param name="Timeout">How long to accept answers.</param>
/// <param name="HopLimit">The maximum number of hops; 0 for the default of the operating system.</param>
/// <param name="MaxAnswers">The maximum number of queued answers, and of distinguished members.</param>
/// <param name="TakesRepeated">Whether to accept further answers of a member.</param>
/// <param name="Observes">Whether answers are notifications, of which only newer ones count (RFC 7641 section 3.4).</param>
internal readonly record struct GroupRequestSettings(TimeSpan Timeout, byte HopLimit, int MaxAnswers, bool TakesRepeated, bool Observes);
