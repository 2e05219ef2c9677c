namespace CoAP.NET.Options;

/// <summary>Lets an option class be found by its type: <c>options.Get&lt;UriHost&gt;()</c>.</summary>
/// <typeparam name="TSelf">The option class itself.</typeparam>
public interface ITypedOption<TSelf>
    where TSelf : CoapOption, ITypedOption<TSelf>
{
    /// <summary>What the specification says of the option.</summary>
    static abstract OptionDefinition Definition { get; }

    /// <summary>Makes the option of its bytes.</summary>
    /// <param name="data">Number and bytes, of a length that the definition allows.</param>
    /// <returns>The option.</returns>
    static abstract TSelf Create(OptionData data);
}
