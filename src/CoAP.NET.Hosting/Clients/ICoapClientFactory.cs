namespace CoAP.NET.Hosting;

internal interface ICoapClientFactory
{
    /// <summary>Returns a client, which it creates on first use.</summary>
    /// <param name="name">Its name; empty for the one without a name.</param>
    /// <returns>The client, always the same. Only the host closes it.</returns>
    /// <exception cref="ArgumentException">There is no client with this name.</exception>
    ICoapClient GetClient(string name = "");
}
