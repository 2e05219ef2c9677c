using System.Text;

namespace CoAP.NET.Content.Cbor;

/// <summary>
/// Diagnostic notation while it is written. It is written once into one text; where lines have a width it is first written without line
/// ends, to know how long arrays and maps are, and a second time with those that are too long laid out. So each character is written twice
/// at most, however deep it lies.
/// </summary>
/// <param name="text">Takes the notation.</param>
/// <param name="width">The characters that a line may have.</param>
internal sealed class DiagnosticText(StringBuilder text, int width)
{
    // Of the arrays and maps in the order in which they begin: how long the items are, each with what parts it from the next.
    private readonly List<int>? _lengths = width == int.MaxValue ? null : [];
    private int _next;
    private bool _isTooLong;

    public StringBuilder Text => text;

    /// <summary>Whether it is written for the second time.</summary>
    public bool IsLaidOut { get; private set; }

    /// <summary>Whether a second time is needed.</summary>
    public bool NeedsLayout => _isTooLong && !IsLaidOut;

    /// <summary>Begins the second time.</summary>
    public void BeginLayout()
    {
        IsLaidOut = true;
        _next = 0;
    }

    /// <summary>Writes what parts a key from its value.</summary>
    public DiagnosticText AfterKey()
    {
        text.Append(": ");
        return this;
    }

    /// <summary>An array or a map begins.</summary>
    /// <returns>Its place in the order.</returns>
    public int BeginContainer()
    {
        if (_lengths is not null && !IsLaidOut)
        {
            _lengths.Add(0);
        }

        return _next++;
    }

    /// <summary>An array or a map ends.</summary>
    /// <param name="container">Its place in the order.</param>
    /// <param name="indent">Where its first line begins.</param>
    /// <param name="length">How long its items are.</param>
    public void EndContainer(int container, int indent, int length)
    {
        if (_lengths is not null && !IsLaidOut)
        {
            _lengths[container] = length;
            _isTooLong |= length > 0 && indent + length > width;
        }
    }

    /// <summary>Whether an array or a map has a line for each item.</summary>
    /// <param name="container">Its place in the order.</param>
    /// <param name="indent">Where its first line begins.</param>
    public bool IsFolded(int container, int indent) => IsLaidOut && _lengths![container] is > 0 and int length && indent + length > width;
}
