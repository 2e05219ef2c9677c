namespace CoAP.NET.Site.Tests.Declared;

/// <summary>Extends shapes.</summary>
public static class ShapeExtensions
{
    extension(Square square)
    {
        /// <summary>The length of its diagonal.</summary>
        public double Diagonal => square.Longest * Math.Sqrt(2);

        /// <summary>A square of side 1.</summary>
        public static Square Unit() => new(1) { Name = "unit" };
    }

    /// <summary>Doubles a shape.</summary>
    /// <param name="shape">The shape.</param>
    public static void Double(this ShapeBase shape) => _ = shape.Sides;
}
