namespace CoAP.NET;

// Where a handler finds what it works with.
public sealed partial class CoapRequest
{
    /// <summary>The services for this request, such as the scope that a host opened for it; null without a host. Set it in a filter or a block in front of the handlers.</summary>
    public IServiceProvider? Services
    {
        get => _more?.Services;
        set
        {
            if (value is not null || _more is not null)
            {
                More.Services = value;
            }
        }
    }
}
