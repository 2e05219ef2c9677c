namespace CoAP.NET.Site.Tests.Declared;

/// <summary>A shape of <typeparamref name="T"/>.</summary>
/// <typeparam name="T">What its sides are measured in.</typeparam>
public interface IShape<out T>
{
    /// <summary>The longest side.</summary>
    T Longest { get; }

    /// <summary>Scales the shape.</summary>
    /// <param name="factor">The factor, above 0.</param>
    /// <returns>How many sides changed.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The factor is not above 0.</exception>
    int Scale(double factor);
}
