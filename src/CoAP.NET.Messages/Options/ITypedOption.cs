namespace CoAP.NET;

/// <summary>Lets an option class be found by its type: <c>options.Get&lt;UriHost&gt;()</c>.</summary>
/// <typeparam name="TSelf">The option class itself.</typeparam>
public interface ITypedOption<TSelf>
    where TSelf : CoapOption, ITypedOption<TSelf>
{
    /// <summary>The definition of the option in its specification.</summary>
    static abstract OptionDefinition Definition { get; }

    /// <summary>Creates the option from its bytes.</summary>
    /// <param name="data">Number and bytes, with a length that the definition allows.</param>
    /// <returns>The option.</returns>
    static abstract TSelf Create(OptionData data);
}
