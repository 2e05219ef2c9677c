namespace CoAP.NET.Site.Tests.Declared;

/// <summary>What shapes have in common.</summary>
public abstract class ShapeBase
{
    /// <summary>Makes a shape with sides.</summary>
    /// <param name="sides">How many.</param>
    protected ShapeBase(int sides) => Sides = sides;

    /// <summary>Tells about a change.</summary>
    public event EventHandler<EventArgs>? Changed;

    /// <summary>How many sides it has, from <c>3</c> on.</summary>
    /// <remarks>A circle has <see langword="null"/>.</remarks>
    public int? Sides { get; private set; }

    /// <summary>The name, which each shape must have.</summary>
    public required string Name { get; init; }

    /// <summary>The area.</summary>
    public abstract double Area { get; }

    /// <summary>Draws it.</summary>
    /// <param name="canvas">Where; see <see cref="IShape{T}"/> and <see cref="ShapeBase.Area"/>.</param>
    protected virtual void Draw(string canvas) => Changed?.Invoke(this, EventArgs.Empty);
}
