namespace CoAP.NET.Hosting;

/// <summary>Gives the clients of an application by their names.</summary>
public interface ICoapClientFactory
{
    /// <summary>Gives a client. It is made when it is asked for first, and then always the same.</summary>
    /// <param name="name">Its name; empty for the one without a name.</param>
    /// <returns>The client. Nobody but the host closes it.</returns>
    /// <exception cref="ArgumentException">No client was added by this name.</exception>
    ICoapClient GetClient(string name = "");
}
