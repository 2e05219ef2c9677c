using System.Text;

namespace CoAP.NET.LinkFormat;

/// <summary>Reads a document in link format from left to right, once (RFC 6690 section 2).</summary>
internal sealed class LinkFormatReader
{
    private readonly string _text;
    private readonly int _maxLinks;
    private readonly List<CoapLinkAttribute> _attributes = [];
    private readonly HashSet<string> _onlyOnce = new(StringComparer.OrdinalIgnoreCase);
    private int _at;

    public LinkFormatReader(string text, int maxLinks)
    {
        _text = text;
        _maxLinks = maxLinks;
    }

    public List<CoapLink> Links { get; } = [];

    public CoapContentSyntaxError Error { get; private set; }

    private bool AtEnd => _at == _text.Length;

    public bool TryRead()
    {
        SkipWhiteSpace();
        if (AtEnd)
        {
            return true;
        }

        while (TryReadLink())
        {
            if (!AtEnd && _text[_at] == ',')
            {
                _at++;
                SkipWhiteSpace();
                continue;
            }

            SkipWhiteSpace();
            return AtEnd || Fail("a comma or a semicolon must follow");
        }

        return false;
    }

    private bool TryReadLink()
    {
        if (Links.Count == _maxLinks)
        {
            return Fail($"there are more than {_maxLinks} links");
        }

        if (AtEnd || _text[_at] != '<')
        {
            return Fail("a link must begin with <");
        }

        int start = ++_at;
        while (!AtEnd && LinkSyntax.IsTargetCharacter(_text[_at]))
        {
            _at++;
        }

        if (AtEnd || _text[_at] != '>')
        {
            return Fail("the target must end with >");
        }

        string target = _text[start.._at++];
        _attributes.Clear();
        _onlyOnce.Clear();
        while (!AtEnd && _text[_at] == ';')
        {
            _at++;
            if (!TryReadAttribute())
            {
                return false;
            }
        }

        Links.Add(new CoapLink(target, _attributes));
        return true;
    }

    private bool TryReadAttribute()
    {
        int length = LinkSyntax.NameLength(_text.AsSpan(_at));
        if (length == 0)
        {
            return Fail("an attribute needs a name");
        }

        string name = _text.Substring(_at, length);
        _at += length;
        string? value = null;
        if (!AtEnd && _text[_at] == '=')
        {
            _at++;
            value = !AtEnd && _text[_at] == '"' && !name.EndsWith('*') ? ReadQuoted() : ReadToken();
            if (value is null)
            {
                return false;
            }
        }
        else if (name.EndsWith('*'))
        {
            return Fail("a name with a star needs a value");
        }

        // A repeated attribute is an error of the producer: the first one counts. "href" is not an attribute.
        if (!name.Equals("href", StringComparison.OrdinalIgnoreCase) && (!LinkSyntax.IsOnlyOnce(name) || _onlyOnce.Add(name)))
        {
            _attributes.Add(new CoapLinkAttribute(name, value));
        }

        return true;
    }

    private string? ReadToken()
    {
        int start = _at;
        while (!AtEnd && LinkSyntax.IsTokenCharacter(_text[_at]))
        {
            _at++;
        }

        if (_at != start)
        {
            return _text[start.._at];
        }

        Fail("a value is missing");
        return null;
    }

    private string? ReadQuoted()
    {
        StringBuilder value = new();
        int start = _at++;
        for (; !AtEnd; _at++)
        {
            char character = _text[_at];
            if (character == '"')
            {
                _at++;
                return value.ToString();
            }

            if (character == '\\' && ++_at < _text.Length)
            {
                character = _text[_at];
            }

            if (AtEnd)
            {
                break;
            }

            if (!LinkSyntax.IsTextCharacter(character))
            {
                Fail("a quoted string contains a control character");
                return null;
            }

            value.Append(character);
        }

        _at = start;
        Fail("the quoted string does not end");
        return null;
    }

    private void SkipWhiteSpace()
    {
        while (!AtEnd && _text[_at] is ' ' or '\t' or '\r' or '\n')
        {
            _at++;
        }
    }

    private bool Fail(string message)
    {
        Error = new CoapContentSyntaxError(_at, message);
        return false;
    }
}
