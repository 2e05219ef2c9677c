using CoAP.NET.Explorer.Pages;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>The server refuses a call of the page; the problem describes the reason.</summary>
internal sealed class ExplorerException(int status, PageProblem problem) : Exception(problem.Detail)
{
    public int Status { get; } = status;

    public PageProblem Problem { get; } = problem;

    public static ExplorerException Bad(string title, string detail, string? hint = null) => new(400, new PageProblem(title, detail, hint));
}
