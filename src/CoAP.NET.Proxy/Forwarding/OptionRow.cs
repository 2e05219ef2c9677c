namespace CoAP.NET.Proxy.Forwarding;

/// <summary>A row of <see cref="ForwardedOptions"/>.</summary>
/// <param name="Number">The option number.</param>
/// <param name="InRequest">Its handling in a request.</param>
/// <param name="InResponse">Its handling in a response.</param>
internal readonly record struct OptionRow(int Number, OptionHandling InRequest, OptionHandling InResponse);
