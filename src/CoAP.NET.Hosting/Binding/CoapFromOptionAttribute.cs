namespace CoAP.NET;

/// <summary>
/// Binds a parameter of a handler to an option of the request by its number: a <c>string</c>, an integer, <c>bool</c> for whether it is
/// there, bytes, <see cref="CoapETag"/>, <see cref="CoapContentFormat"/>, or an array of them.
/// </summary>
[AttributeUsage(AttributeTargets.Parameter)]
public sealed class CoapFromOptionAttribute : Attribute
{
    /// <summary>Names the option.</summary>
    /// <param name="number">The option number, 1 to 65,535.</param>
    public CoapFromOptionAttribute(int number) => Number = number;

    /// <summary>The option number.</summary>
    public int Number { get; }
}
