using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Mutations;

/// <summary>A kind of mutation.</summary>
internal enum MutationKind
{
    /// <summary>An <c>if</c> whose body leaves is never taken, or one operand of a conjunction or disjunction has no effect.</summary>
    RemovedCheck,

    /// <summary>A comparison includes its limit, or no longer includes it; one more or one less is not added.</summary>
    Boundary,

    /// <summary>A call or an assignment is not executed.</summary>
    DroppedStatement,
}

/// <summary>A place in a file that can be mutated.</summary>
/// <param name="File">The path of the file in the repository, with slashes.</param>
/// <param name="Node">The statement or expression that the switch replaces.</param>
/// <param name="Kind">The kind.</param>
/// <param name="Change">What changes, for readers.</param>
/// <param name="Switch">Returns the code that replaces the node, with a call that asks whether the mutation is active.</param>
internal sealed record Candidate(
    string File, SyntaxNode Node, MutationKind Kind, string Change, Func<SyntaxNode, ExpressionSyntax, SyntaxNode> Switch)
{
    public int Line => Node.GetLocation().GetLineSpan().StartLinePosition.Line + 1;
}

/// <summary>A drawn mutation.</summary>
/// <param name="Id">The number of its draw, which is the value of COAP_MUTANT that activates it.</param>
/// <param name="Place">Its place.</param>
internal sealed record Mutant(int Id, Candidate Place);
