using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using static Microsoft.CodeAnalysis.CSharp.SyntaxFactory;

namespace CoAP.NET.Mutations;

/// <summary>Finds the places of a file that can be mutated.</summary>
internal static class CandidateFinder
{
    private const int LongestChange = 90;

    private static readonly CSharpParseOptions s_options = CSharpParseOptions.Default.WithLanguageVersion(LanguageVersion.Latest)
        .WithPreprocessorSymbols("NET", "NET10_0", "NET10_0_OR_GREATER", "RELEASE", "TRACE");

    private static readonly Dictionary<SyntaxKind, SyntaxKind> s_limits = new()
    {
        [SyntaxKind.LessThanToken] = SyntaxKind.LessThanEqualsToken,
        [SyntaxKind.LessThanEqualsToken] = SyntaxKind.LessThanToken,
        [SyntaxKind.GreaterThanToken] = SyntaxKind.GreaterThanEqualsToken,
        [SyntaxKind.GreaterThanEqualsToken] = SyntaxKind.GreaterThanToken,
    };

    public static CompilationUnitSyntax Parse(string text) => CSharpSyntaxTree.ParseText(text, s_options).GetCompilationUnitRoot();

    /// <summary>Returns the candidates of a file, in the order of the text.</summary>
    public static IEnumerable<Candidate> Find(string file, SyntaxNode root) =>
        root.DescendantNodes().Where(static node => !IsConstant(node)).SelectMany(node => Of(file, node));

    private static IEnumerable<Candidate> Of(string file, SyntaxNode node)
    {
        if (Declares(node is IfStatementSyntax { Condition: var condition } ? condition : node))
        {
            yield break;
        }

        if (node is IfStatementSyntax { Else: null } check && Leaves(check.Statement))
        {
            yield return new Candidate(file, check, MutationKind.RemovedCheck, $"never taken: `{Short(check)}`",
                static (now, isActive) => ((IfStatementSyntax)now).WithCondition(And(((IfStatementSyntax)now).Condition, Not(isActive))));
        }

        if (node is ExpressionSyntax { Parent: BinaryExpressionSyntax both } && both.IsKind(SyntaxKind.LogicalAndExpression))
        {
            yield return new Candidate(file, node, MutationKind.RemovedCheck, $"`{Short(both)}` without `{Short(node)}`",
                static (now, isActive) => Enclosed(Or((ExpressionSyntax)now, isActive)));
        }

        if (node is ExpressionSyntax { Parent: BinaryExpressionSyntax either } && either.IsKind(SyntaxKind.LogicalOrExpression))
        {
            yield return new Candidate(file, node, MutationKind.RemovedCheck, $"`{Short(either)}` without `{Short(node)}`",
                static (now, isActive) => Enclosed(And((ExpressionSyntax)now, Not(isActive))));
        }

        if (node is BinaryExpressionSyntax compared && s_limits.TryGetValue(compared.OperatorToken.Kind(), out SyntaxKind limit))
        {
            yield return Choice(file, compared, compared.WithOperatorToken(Other(compared.OperatorToken, limit)),
                static (now, shape) => ((BinaryExpressionSyntax)now).WithOperatorToken(((BinaryExpressionSyntax)shape).OperatorToken));
        }

        if (node is BinaryExpressionSyntax { Right: LiteralExpressionSyntax { Token.ValueText: "1" } one } sum
            && sum.Kind() is SyntaxKind.AddExpression or SyntaxKind.SubtractExpression)
        {
            LiteralExpressionSyntax zero = LiteralExpression(SyntaxKind.NumericLiteralExpression, Literal(0)).WithTriviaFrom(one);
            yield return Choice(file, sum, sum.WithRight(zero),
                static (now, shape) => ((BinaryExpressionSyntax)now).WithRight(((BinaryExpressionSyntax)shape).Right));
        }

        if (node is IsPatternExpressionSyntax test && Relation(test) is { } relation
            && s_limits.TryGetValue(relation.OperatorToken.Kind(), out SyntaxKind other))
        {
            yield return Choice(file, test, test.ReplaceToken(relation.OperatorToken, Other(relation.OperatorToken, other)),
                static (now, shape) => ((IsPatternExpressionSyntax)now).WithPattern(((IsPatternExpressionSyntax)shape).Pattern));
        }

        if (node is ExpressionStatementSyntax statement && IsEffect(statement.Expression) && !IsFirstValue(statement.Expression))
        {
            MutationKind kind = IsCheck(statement.Expression) ? MutationKind.RemovedCheck : MutationKind.DroppedStatement;
            yield return new Candidate(file, statement, kind, $"not executed: `{Short(statement)}`",
                static (now, isActive) => Block(IfStatement(Not(isActive), Bare((StatementSyntax)now))).WithTriviaFrom(now));
        }
    }

    private static Candidate Choice(
        string file, ExpressionSyntax node, ExpressionSyntax mutated, Func<SyntaxNode, SyntaxNode, ExpressionSyntax> mutate) =>
        new(file, node, MutationKind.Boundary, $"`{Short(node)}` becomes `{Short(mutated)}`", (now, isActive) => Enclosed(
            ConditionalExpression(isActive, Enclosed(mutate(now, mutated)), Enclosed((ExpressionSyntax)now))));

    private static bool Leaves(StatementSyntax body) => body switch
    {
        BlockSyntax { Statements: [.., var last] } => Leaves(last),
        ReturnStatementSyntax or ThrowStatementSyntax or ContinueStatementSyntax or BreakStatementSyntax => true,
        YieldStatementSyntax => body.IsKind(SyntaxKind.YieldBreakStatement),
        _ => false,
    };

    // Without the check, its variables have no values: such code does not compile.
    private static bool Declares(SyntaxNode node) => node.DescendantNodesAndSelf().Any(static one => one is VariableDesignationSyntax);

    private static RelationalPatternSyntax? Relation(IsPatternExpressionSyntax test) =>
        test.Pattern.DescendantNodesAndSelf().OfType<RelationalPatternSyntax>().FirstOrDefault();

    private static bool IsEffect(ExpressionSyntax expression) => expression switch
    {
        AwaitExpressionSyntax awaited => IsEffect(awaited.Expression),
        AssignmentExpressionSyntax { Left: IdentifierNameSyntax { Identifier.ValueText: "_" } } discard =>
            discard.Right.DescendantNodesAndSelf().Any(static node => node is InvocationExpressionSyntax),
        InvocationExpressionSyntax call => call.Expression.ToString() is not "GC.SuppressFinalize" and not "Debug.Assert",
        AssignmentExpressionSyntax or ConditionalAccessExpressionSyntax => true,
        _ => false,
    };

    // Without its first value, the use of a local variable or of an out parameter does not compile.
    private static bool IsFirstValue(ExpressionSyntax expression) =>
        expression is AssignmentExpressionSyntax { Left: IdentifierNameSyntax { Identifier.ValueText: var name } }
        && expression.FirstAncestorOrSelf<MemberDeclarationSyntax>() is { } member && member.DescendantNodes().Any(one => one switch
        {
            VariableDeclaratorSyntax { Initializer: null } local => local.Identifier.ValueText == name,
            ParameterSyntax parameter => parameter.Identifier.ValueText == name && parameter.Modifiers.Any(SyntaxKind.OutKeyword),
            _ => false,
        });

    private static bool IsCheck(ExpressionSyntax expression) =>
        expression is InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax { Name.Identifier.ValueText: var name } }
        && name.StartsWith("ThrowIf", StringComparison.Ordinal);

    private static bool IsConstant(SyntaxNode node) => node.AncestorsAndSelf().Any(static one => one switch
    {
        AttributeSyntax or EnumMemberDeclarationSyntax or SwitchLabelSyntax or ParameterSyntax or ConstantPatternSyntax => true,
        FieldDeclarationSyntax field => field.Modifiers.Any(SyntaxKind.ConstKeyword),
        LocalDeclarationStatementSyntax local => local.IsConst,
        _ => false,
    });

    private static SyntaxToken Other(SyntaxToken token, SyntaxKind kind) => Token(kind).WithTriviaFrom(token);

    private static StatementSyntax Bare(StatementSyntax statement) => statement.WithoutLeadingTrivia().WithTrailingTrivia(Space);

    private static PrefixUnaryExpressionSyntax Not(ExpressionSyntax isActive) =>
        PrefixUnaryExpression(SyntaxKind.LogicalNotExpression, isActive);

    private static BinaryExpressionSyntax And(ExpressionSyntax left, ExpressionSyntax right) =>
        BinaryExpression(SyntaxKind.LogicalAndExpression, Enclosed(left), right);

    private static BinaryExpressionSyntax Or(ExpressionSyntax left, ExpressionSyntax right) =>
        BinaryExpression(SyntaxKind.LogicalOrExpression, Enclosed(left), right);

    private static ParenthesizedExpressionSyntax Enclosed(ExpressionSyntax expression) => ParenthesizedExpression(expression);

    // One line, and no bar and no backtick: the change stands in a cell of a table.
    private static string Short(SyntaxNode node)
    {
        string text = string.Join(' ', node.ToString().Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries))
            .Replace('`', '\'').Replace("|", "\\|", StringComparison.Ordinal);
        return text.Length <= LongestChange ? text : text[..LongestChange] + "...";
    }
}
