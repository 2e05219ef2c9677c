namespace CoAP.NET;

/// <summary>Binds a handler parameter to an option of the request by its number.</summary>
/// <remarks>
/// The type can be a <c>string</c>, an integer, <c>bool</c> for its presence, bytes, <see cref="CoapETag"/>,
/// <see cref="CoapContentFormat"/>, or an array of them.
/// </remarks>
[AttributeUsage(AttributeTargets.Parameter)]
public sealed class CoapFromOptionAttribute : Attribute
{
    /// <summary>Creates the attribute.</summary>
    /// <param name="number">The option number, 1 to 65,535.</param>
    public CoapFromOptionAttribute(int number) => Number = number;

    /// <summary>The option number.</summary>
    public int Number { get; }
}
