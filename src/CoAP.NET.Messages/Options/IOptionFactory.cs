namespace CoAP.NET;

/// <summary>Creates the typed options with one number.</summary>
/// <remarks>
/// Add custom factories to a <see cref="CoapOptionRegistry"/>. A factory for an option of this library must keep its format. Let it create
/// the class of this library: code that reads by that class finds no options of another one.
/// </remarks>
public interface IOptionFactory
{
    /// <summary>The number of these options.</summary>
    int Number => Definition.Number;

    /// <summary>The definition of these options; an option that violates it counts as unrecognized (RFC 7252 section 5.4).</summary>
    OptionDefinition Definition { get; }

    /// <summary>Creates an option.</summary>
    /// <remarks>Called only with a value whose length the definition allows.</remarks>
    /// <param name="data">Number and bytes; valid for this call only.</param>
    /// <returns>The option.</returns>
    CoapOption Create(OptionData data);
}
