using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace CoAP.NET.Hosting.BoundRoutes;

public readonly record struct Fahrenheit(int Degrees) : IParsable<Fahrenheit>
{
    public static Fahrenheit Parse(string s, IFormatProvider? provider) =>
        TryParse(s, provider, out Fahrenheit result) ? result : throw new FormatException();

    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out Fahrenheit result)
    {
        int degrees = 0;
        bool isOne = s is not null && s.EndsWith('F')
            && int.TryParse(s.AsSpan(0, s.Length - 1), NumberStyles.Integer, CultureInfo.InvariantCulture, out degrees);
        result = new Fahrenheit(degrees);
        return isOne;
    }
}
