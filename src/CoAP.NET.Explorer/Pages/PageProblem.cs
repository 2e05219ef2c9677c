namespace CoAP.NET.Explorer.Pages;

/// <summary>Describes a problem to the user.</summary>
/// <param name="Title">The problem in two or three words.</param>
/// <param name="Detail">The description of the problem.</param>
/// <param name="Hint">The remedy; null for none.</param>
internal sealed record PageProblem(string Title, string Detail, string? Hint = null);
