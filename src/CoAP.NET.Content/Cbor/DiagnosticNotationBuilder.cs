using System.Text;

namespace CoAP.NET.Content.Cbor;

/// <summary>
/// Builds diagnostic notation in two passes. The first pass writes without line ends and measures arrays and maps. If lines have a width
/// and something is too long, a second pass splits those over lines. Each character is therefore written at most twice, at any depth.
/// </summary>
/// <param name="text">Receives the notation.</param>
/// <param name="width">The maximum line length in characters.</param>
internal sealed class DiagnosticNotationBuilder(StringBuilder text, int width)
{
    // For each array and map, in order of their beginning: the length of its items, each with its separator.
    private readonly List<int>? _lengths = width == int.MaxValue ? null : [];
    private int _next;
    private bool _isTooLong;

    public StringBuilder Text => text;

    /// <summary>Whether this is the second pass.</summary>
    public bool IsLaidOut { get; private set; }

    /// <summary>Whether a second pass is needed.</summary>
    public bool NeedsLayout => _isTooLong && !IsLaidOut;

    /// <summary>Begins the second pass.</summary>
    public void BeginLayout()
    {
        IsLaidOut = true;
        _next = 0;
    }

    /// <summary>Writes the separator between a key and its value.</summary>
    public DiagnosticNotationBuilder AfterKey()
    {
        text.Append(": ");
        return this;
    }

    /// <summary>Begins an array or a map.</summary>
    /// <returns>Its index in the order.</returns>
    public int BeginContainer()
    {
        if (_lengths is not null && !IsLaidOut)
        {
            _lengths.Add(0);
        }

        return _next++;
    }

    /// <summary>Ends an array or a map.</summary>
    /// <param name="container">Its index in the order.</param>
    /// <param name="indent">The indentation of its first line.</param>
    /// <param name="length">The length of its items.</param>
    public void EndContainer(int container, int indent, int length)
    {
        if (_lengths is not null && !IsLaidOut)
        {
            _lengths[container] = length;
            _isTooLong |= length > 0 && indent + length > width;
        }
    }

    /// <summary>Whether an array or a map has a line for each item.</summary>
    /// <param name="container">Its index in the order.</param>
    /// <param name="indent">The indentation of its first line.</param>
    public bool IsFolded(int container, int indent) => IsLaidOut && _lengths![container] is > 0 and int length && indent + length > width;
}
