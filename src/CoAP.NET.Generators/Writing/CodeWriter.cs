using System.Text;

namespace CoAP.NET.Generators.Writing;

/// <summary>Lines with their indentation.</summary>
internal sealed class CodeWriter(StringBuilder code, int depth)
{
    private int _depth = depth;

    public CodeWriter Line(string text = "")
    {
        if (text.Length != 0)
        {
            code.Append(' ', _depth * 4).Append(text);
        }

        code.Append('\n');
        return this;
    }

    public CodeWriter Open()
    {
        Line("{");
        _depth++;
        return this;
    }

    public CodeWriter Close(string after = "")
    {
        _depth--;
        return Line("}" + after);
    }

    /// <summary>Writes a return of an answer under a condition.</summary>
    public CodeWriter ReturnIf(string condition, string result) =>
        Line($"if ({condition})").Open().Line($"return new({result});").Close().Line();
}
