namespace CoAP.NET.Explorer.Pages;

/// <summary>What went wrong, for a person.</summary>
/// <param name="Title">In two or three words.</param>
/// <param name="Detail">What was asked of whom, and what happened.</param>
/// <param name="Hint">What to do about it; null where there is nothing.</param>
internal sealed record PageProblem(string Title, string Detail, string? Hint = null);
