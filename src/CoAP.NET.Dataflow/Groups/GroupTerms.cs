namespace CoAP.NET.Groups;

/// <summary>What a request to a group asks for beside its message.</summary>
/// <param name="Timeout">For how long answers are taken.</param>
/// <param name="HopLimit">How many routers it may pass; 0 for the operating system's default.</param>
/// <param name="MaxAnswers">How many answers wait to be read at most, and how many members are told apart.</param>
/// <param name="TakesRepeated">Whether further answers of a member are wanted.</param>
/// <param name="Observes">Whether answers are notifications, of which only newer ones are taken (RFC 7641 section 3.4).</param>
internal readonly record struct GroupTerms(TimeSpan Timeout, byte HopLimit, int MaxAnswers, bool TakesRepeated, bool Observes);
