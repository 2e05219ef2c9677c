using System.Text;

namespace CoAP.NET.Tests.Structure;

/// <summary>
/// Finds the texts of a C# file: string literals, joined where only <c>+</c> is between them, with <c>{}</c> for each interpolation. Texts
/// inside of an interpolation are texts of their own. Comments and characters are no texts.
/// </summary>
internal sealed class StringLiterals
{
    private readonly string _code;
    private readonly List<(int Line, string Text)> _found = [];
    private int _at;
    private int _lastEnd = -1;
    private int _lastIndex;

    private StringLiterals(string code) => _code = code;

    /// <summary>Returns the texts of a file with the numbers of their lines.</summary>
    public static IReadOnlyList<(int Line, string Text)> Of(string code)
    {
        StringLiterals literals = new(code);
        literals.ReadCode(depth: 0);
        return literals._found;
    }

    // Ends behind the brace that closes an interpolation.
    private void ReadCode(int depth)
    {
        int open = depth;
        while (_at < _code.Length)
        {
            if (Follows("//"))
            {
                SkipTo("\n");
            }
            else if (Follows("/*"))
            {
                SkipTo("*/");
            }
            else if (_code[_at] == '\'')
            {
                SkipCharacter();
            }
            else if (IsLiteral(out int dollars, out bool isVerbatim, out int quotes))
            {
                ReadLiteral(dollars, isVerbatim, quotes);
            }
            else
            {
                char c = _code[_at++];
                open += c == '{' ? 1 : c == '}' ? -1 : 0;
                if (depth > 0 && open == 0)
                {
                    return;
                }
            }
        }
    }

    private bool IsLiteral(out int dollars, out bool isVerbatim, out int quotes)
    {
        int at = _at;
        (dollars, isVerbatim, quotes) = (0, false, 0);
        while (at < _code.Length && _code[at] is '$' or '@')
        {
            dollars += _code[at] == '$' ? 1 : 0;
            isVerbatim |= _code[at++] == '@';
        }

        while (at + quotes < _code.Length && _code[at + quotes] == '"')
        {
            quotes++;
        }

        return quotes > 0;
    }

    private void ReadLiteral(int dollars, bool isVerbatim, int quotes)
    {
        int begin = _at;
        bool isJoined = _lastEnd >= 0 && string.IsNullOrWhiteSpace(_code[_lastEnd..begin].Replace("+", "", Ordinal))
            && _code[_lastEnd..begin].Contains('+');
        int line = _code.AsSpan(0, begin).Count('\n') + 1;
        _at += dollars + (isVerbatim ? 1 : 0);
        StringBuilder text = new();
        int own = _found.Count;
        if (quotes >= 3)
        {
            int end = _code.IndexOf(new string('"', quotes), _at + quotes, Ordinal);
            text.Append(_code, _at + quotes, end - _at - quotes);
            _at = end + quotes;
        }
        else
        {
            _at++;
            ReadCharacters(text, dollars > 0, isVerbatim);
        }

        if (isJoined)
        {
            _found[_lastIndex] = (_found[_lastIndex].Line, _found[_lastIndex].Text + text);
        }
        else
        {
            _lastIndex = own;
            _found.Insert(own, (line, text.ToString()));
        }

        _lastEnd = _at;
    }

    private void ReadCharacters(StringBuilder text, bool isInterpolated, bool isVerbatim)
    {
        while (_code[_at] != '"' || (isVerbatim && Follows("\"\"")))
        {
            if (_code[_at] == '\\' && !isVerbatim)
            {
                text.Append(_code, _at, 2);
                _at += 2;
            }
            else if (isVerbatim && _code[_at] == '"')
            {
                text.Append('"');
                _at += 2;
            }
            else if (isInterpolated && _code[_at] == '{' && !Follows("{{"))
            {
                (int lastEnd, int lastIndex) = (_lastEnd, _lastIndex);
                _at++;
                _lastEnd = -1;
                ReadCode(depth: 1);
                (_lastEnd, _lastIndex) = (lastEnd, lastIndex);
                text.Append("{}");
            }
            else
            {
                _at += isInterpolated && (Follows("{{") || Follows("}}")) ? 1 : 0;
                text.Append(_code[_at++]);
            }
        }

        _at++;
    }

    private void SkipCharacter()
    {
        _at += _code[_at + 1] == '\\' ? 2 : 1;
        SkipTo("'");
    }

    private void SkipTo(string end)
    {
        int at = _code.IndexOf(end, _at + 1, Ordinal);
        _at = at < 0 ? _code.Length : at + end.Length;
    }

    private bool Follows(string text) => string.CompareOrdinal(_code, _at, text, 0, text.Length) == 0;
}
